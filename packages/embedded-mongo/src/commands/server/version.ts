/** The MongoDB release that this engine reports as its own. */
export const VERSION = '8.0.0';
