import type { OperatorCompiler } from '../evaluate.ts';

export const VARIABLES: Record<string, OperatorCompiler> = {
  $literal: (operand) => () => operand,
};
