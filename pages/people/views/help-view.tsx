import german from '../../../docs/people/patients-and-doctors.de.md?raw';
import english from '../../../docs/people/patients-and-doctors.md?raw';
import { Markdown } from '../../shared/markdown.tsx';
import { useLanguage } from '../language/language.ts';

const PAGES = { en: english, de: german };

/** The page of the manual for patients and doctors. */
export const HelpView = () => (
  <section>
    {/* The view has a heading. */}
    <Markdown text={PAGES[useLanguage()].replace(/^# .*\n/, '')} />
  </section>
);
