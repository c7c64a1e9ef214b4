import { useNotice } from './notice.ts';

/** The place of notices. It is always there: screen readers read what changes in it. */
export function NoticeLine() {
  const { text, number } = useNotice();
  return (
    <p id="notice" role="status">
      {text && <span key={number}>{text}</span>}
    </p>
  );
}
