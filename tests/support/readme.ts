import { readFile } from 'node:fs/promises';

/**
 * Returns the first block of code under a heading of a README.
 * @param language the language that the block declares
 * @param file the README, from the root of the repository
 */
export async function codeUnder(heading: string, language: string, file = 'README.md'): Promise<string> {
  const readme = await readFile(new URL(`../../${file}`, import.meta.url), 'utf8');
  const [, section = ''] = readme.split(new RegExp(`\\n##+ ${heading}\\n`));
  const [, code] = new RegExp(`\`\`\`${language}\\n([\\s\\S]*?)\`\`\``).exec(section) ?? [];
  if (code === undefined) {
    throw new Error(`${file} has no ${language} under "${heading}"`);
  }
  return code;
}

/** Returns all blocks of shell commands of a document that call a gateway, in their order. Their variables are shared. */
export async function toursOf(file: string): Promise<string[]> {
  const text = await readFile(new URL(`../../${file}`, import.meta.url), 'utf8');
  const blocks = [...text.matchAll(/^```sh\n(.*?)^```$/gms)].map(([, code = '']) => code);
  return blocks.filter((code) => code.includes('BASE'));
}
