export interface Random {
  below(n: number): number;
  u32(): number;
}

/** Numbers for inputs: a 32-bit linear congruential generator (Numerical Recipes' constants), upper bits used. */
export function random(seed: number): Random {
  let state = seed >>> 0;
  const next = (): number => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state >>> 8;
  };
  return {
    below: (n) => next() % n,
    u32: () => ((next() << 16) ^ next()) >>> 0,
  };
}

export function table<T>(length: number, make: (i: number) => T): T[] {
  return Array.from({ length }, (_, i) => make(i));
}
