import type { ReactNode } from 'react';

interface Properties {
  caption?: string;
  /** The heads of the columns. */
  heads: readonly string[];
  /** The rows. */
  children: ReactNode;
}

/** A table, which scrolls by itself where it is wider than the page. */
export const Table = ({ caption, heads, children }: Properties) => (
  <div className="scroll">
    <table>
      {caption && <caption>{caption}</caption>}
      <thead>
        <tr>
          {heads.map((head) => (
            <th key={head} scope="col">
              {head}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>{children}</tbody>
    </table>
  </div>
);
