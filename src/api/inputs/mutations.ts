// Each file with a class that has the decorator `Mutates`.
import './own-tokens.input.ts';
import './password-reset.input.ts';
import { declaredMutations, type MessageMutation } from './message-mutation.ts';

/** The mutations that input classes declare, in both APIs. */
export const messageMutations = (): readonly MessageMutation[] => declaredMutations;
