import { isInstalled } from './programs.mjs';

/** The interactive shells that people paste into, as far as this machine has them. */
export const SHELLS = ['bash', 'zsh'].filter(isInstalled);
