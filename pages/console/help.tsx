import german from '../../docs/people/reviewers.de.md?raw';
import english from '../../docs/people/reviewers.md?raw';
import { Markdown } from '../shared/markdown.tsx';
import { say } from './language.tsx';

/** The page for reviewers. */
export const HelpPage = () => <Markdown text={say(english, german)} />;
