export function isInstalled(program: string): boolean;
