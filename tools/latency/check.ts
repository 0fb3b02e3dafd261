export interface CheckOptions {
  readonly cells: number;
  readonly seed: number;
  readonly modules: number;
  readonly progress: (a: number, b: number) => void;
}
export function check(_sm: number, _o: CheckOptions): void {}
