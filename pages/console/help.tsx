import german from '../../docs/people/reviewers.de.md?raw';
import english from '../../docs/people/reviewers.md?raw';
import { readersLanguage } from '../shared/language.ts';
import { Markdown } from '../shared/markdown.tsx';

/** The page for reviewers, in their language. */
export function HelpPage() {
  const language = readersLanguage();
  return (
    <div lang={language}>
      <Markdown text={{ en: english, de: german }[language]} />
    </div>
  );
}
