"""Optuna by ask and tell: a line of JSON in, a line of JSON out (lib/experiment/study.ts has the other side)."""

import json
import sys
import warnings

import optuna

optuna.logging.set_verbosity(optuna.logging.ERROR)
warnings.filterwarnings("ignore")


def distribution(of):
    if "choices" in of:
        return optuna.distributions.CategoricalDistribution(of["choices"])
    kind = optuna.distributions.IntDistribution if of.get("whole") else optuna.distributions.FloatDistribution
    return kind(of["from"], of["to"])


def sampler(name, seed):
    samplers = optuna.samplers
    if name == "tpe":
        return samplers.TPESampler(seed=seed, multivariate=True, constant_liar=True)
    if name == "cmaes":
        # What is chosen from a list has no place in its normal distribution.
        other = samplers.RandomSampler(seed=seed)
        return samplers.CmaEsSampler(seed=seed, independent_sampler=other, warn_independent_sampling=False)
    if name == "nsga2":
        return samplers.NSGAIISampler(seed=seed, population_size=16)
    return samplers.RandomSampler(seed=seed)


def main():
    first = json.loads(sys.stdin.readline())
    space = {name: distribution(of) for name, of in first["space"].items()}
    study = optuna.create_study(directions=first["directions"], sampler=sampler(first["sampler"], first["seed"]))
    print(json.dumps({"optuna": optuna.__version__}), flush=True)
    for line in sys.stdin:
        message = json.loads(line)
        if "ask" in message:
            trials = [study.ask(space) for _ in range(message["ask"])]
            print(json.dumps([{"number": t.number, "setting": t.params} for t in trials]), flush=True)
        else:
            for told in message["tell"]:
                failed = told["figures"] is None
                state = optuna.trial.TrialState.FAIL if failed else optuna.trial.TrialState.COMPLETE
                study.tell(told["number"], None if failed else told["figures"], state=state)
            print("null", flush=True)


main()
