import { readFile } from 'node:fs/promises';

/**
 * The first block of code under a heading of the README, as somebody would paste it.
 * @param language what the block says it is
 */
export async function codeUnder(heading: string, language: string): Promise<string> {
  const readme = await readFile(new URL('../../README.md', import.meta.url), 'utf8');
  const [, section = ''] = readme.split(new RegExp(`\\n##+ ${heading}\\n`));
  const [, code] = new RegExp(`\`\`\`${language}\\n([\\s\\S]*?)\`\`\``).exec(section) ?? [];
  if (code === undefined) throw new Error(`README.md has no ${language} under "${heading}"`);
  return code;
}
