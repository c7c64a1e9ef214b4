import type { OperatorCompiler } from '../evaluate.ts';

export const OBJECTS: Record<string, OperatorCompiler> = {};
