import { isInstalled } from './programs.mjs';

/** The interactive shells that this machine has. */
export const SHELLS = ['bash', 'zsh'].filter(isInstalled);
