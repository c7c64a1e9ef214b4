import type { ReactNode } from 'react';

/** Bold, slanted and code. React escapes the rest. */
const inline = (text: string): ReactNode[] =>
  text.split(/(\*\*[^*]+\*\*|\*[^*]+\*|`[^`]+`)/).map((part, index) => {
    const inner = part.replace(/^[*`]+|[*`]+$/g, '');
    const Element = part.startsWith('**') ? 'strong' : part.startsWith('*') ? 'em' : 'code';
    return index % 2 === 1 ? <Element key={index}>{inner}</Element> : part;
  });

const ELEMENTS = { '# ': 'h1', '## ': 'h2' } as const;
const ITEM = /^(?:- |\d\. )/;

/** Shows a page of docs/people: headings, paragraphs and flat lists. */
export function Markdown({ text }: { text: string }) {
  return text
    .trim()
    .split(/\n\n+/)
    .map((block, index) => {
      const [mark] = /^#+ /.exec(block) ?? [];
      if (mark === '# ' || mark === '## ') {
        const Heading = ELEMENTS[mark];
        return <Heading key={index}>{block.slice(mark.length)}</Heading>;
      }
      if (!ITEM.test(block)) {
        return <p key={index}>{inline(block)}</p>;
      }
      const List = block.startsWith('-') ? 'ul' : 'ol';
      const items = block.split(/\n(?=- |\d\. )/);
      return (
        <List key={index}>
          {items.map((item) => (
            <li key={item}>{inline(item.replace(ITEM, ''))}</li>
          ))}
        </List>
      );
    });
}
