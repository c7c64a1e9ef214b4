import { useTexts } from '../language/language.ts';
import { useNotice } from './notice.ts';

/** The place of notices. It is always there: screen readers read what changes in it. */
export function NoticeLine() {
  const { say, number } = useNotice();
  const texts = useTexts();
  return (
    <p id="notice" role="status">
      {say && <span key={number}>{say(texts)}</span>}
    </p>
  );
}
