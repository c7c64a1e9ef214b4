/** True if a program is in one of the folders of PATH. */
export function isInstalled(program: string): boolean;
