import { readConfig } from '../../src/config/config.ts';
import { ConfigError } from '../../src/config/settings-reader.ts';

/** The problems of settings; none if they can be used. */
export function problemsOf(settings: Record<string, string>): readonly string[] {
  try {
    readConfig(settings);
    return [];
  } catch (error) {
    if (!(error instanceof ConfigError)) {
      throw error;
    }
    return error.problems;
  }
}

/** The settings that problems begin with. */
export const keysOf = (problems: readonly string[]) => problems.map((problem) => problem.split(' ')[0]);

/** The problems of a file that a setting names, without the setting and the path that each begins with. */
export const problemsOfFile = (key: string, setting: Record<string, string>): string[] =>
  problemsOf({ [key]: setting[key] ?? '' }).map((problem) => {
    const start = `${key}: ${setting[key]}: `;
    expect(problem.startsWith(start)).toBe(true);
    return problem.slice(start.length);
  });
