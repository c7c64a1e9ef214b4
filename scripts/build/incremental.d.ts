/** A part of the project that is built as one. `build` describes the fields. */
export interface Target {
  title: string;
  inputs: string[];
  outputs: string[];
  ignored?: string[];
  commands: string[][];
  after?: string;
  compiled?: string[][];
  forget?: string[];
  files?: Record<string, string>;
}

export function build(
  root: string,
  targets: Record<string, Target>,
  say: (line: string) => void,
): Promise<boolean>;
