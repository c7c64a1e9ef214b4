import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

/** Of the United States (CMS), and of Germany (KBV). */
export const NPI = {
  name: 'NPI',
  pattern: '[12]\\d{9}',
  check: { luhn: '80840' },
  source: 'CMS',
  lookup: 'https://register.example/provider/{number}?lang=en',
};
export const LANR = { name: 'LANR', pattern: '\\d{9}', check: { weights: [4, 9, 4, 9, 4, 9] } };

const folder = mkdtempSync(path.join(tmpdir(), 'auth-gateway-rules-'));

/** Writes a file of rules. @returns the setting for it */
export function rulesSetting(content: unknown = { rules: [NPI, LANR] }, name = 'rules.json') {
  const file = path.join(folder, name);
  writeFileSync(file, typeof content === 'string' ? content : JSON.stringify(content));
  return { LICENSE_RULES_FILE: file };
}
