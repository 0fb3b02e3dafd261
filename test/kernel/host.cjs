// Runs cells in one session and tells what came of each, as JSON: tslab cannot be loaded within jest, whose module
// registry does not let a module be stood in for. stdin: { cwd, cells }.
const { createSession } = require("../../kernel/cells.cjs");
const { bundleOf } = require("../../kernel/outputs.cjs");

async function main() {
  let input = "";
  for await (const chunk of process.stdin) input += chunk;
  const { cwd, cells } = JSON.parse(input);
  process.chdir(cwd);
  const session = createSession(cwd);
  const outcomes = [];
  for (const [i, cell] of cells.entries()) {
    const { ok, value, error } = await session.run(cell, i + 1);
    outcomes.push({ ok, error, ...(value === undefined ? {} : await bundleOf(value)) });
  }
  process.stdout.write(JSON.stringify(outcomes), () => process.exit(0));
}
main();
