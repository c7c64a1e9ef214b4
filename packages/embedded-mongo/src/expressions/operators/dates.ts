import type { OperatorCompiler } from '../evaluate.ts';

export const DATES: Record<string, OperatorCompiler> = {};
