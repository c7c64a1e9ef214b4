import type { Document } from 'bson';
import { demand } from '../base/errors.ts';
import { partsOfValue } from '../expressions/bounds.ts';
import type { Evaluator } from '../expressions/expressions.ts';
import { joinPath } from '../values/names.ts';
import { isDocument, MISSING } from '../values/types.ts';

/** What becomes of a field. A listed one is kept by an inclusion and dropped by an exclusion; a function computes it. */
type Leaf = 'listed' | 'kept' | 'dropped' | Evaluator;

type Part = ReturnType<typeof partsOfValue>;

/** The codes for a path that goes through another one, and for a path that is named twice. */
const COLLISIONS: readonly [number, number] = [31249, 31250];

/** The paths of a projection or of `$set` as a tree of names, in the order of the specification. */
export class FieldTree {
  readonly #children = new Map<string, FieldTree | Leaf>();
  #computes = false;

  /**
   * Adds a path, or makes place for the fields of a nested specification. Throws 31249 or 31250, or one of `codes`, if it
   * collides with another path.
   */
  add(parts: readonly string[], leaf?: Leaf, codes = COLLISIONS): void {
    const last = parts.at(-1) as string;
    const computes = typeof leaf === 'function';
    let tree: FieldTree = this;
    tree.#computes ||= computes;
    for (const name of parts.slice(0, -1)) {
      const child = tree.#children.get(name) ?? new FieldTree();
      demand(child instanceof FieldTree, codes[0], `Path collision at ${joinPath(parts)}`);
      child.#computes ||= computes;
      tree.#children.set(name, child);
      tree = child;
    }
    const known = tree.#children.get(last);
    const isFree = !known || (!leaf && known instanceof FieldTree);
    demand(isFree, codes[1], `Path collision at ${joinPath(parts)}`);
    tree.#children.set(last, leaf ?? known ?? new FieldTree());
  }

  /**
   * The projected document: first the fields that stay, in the document's order, then the computed ones in the tree's. A field of the
   * document with computed fields inside it keeps its place, even if nothing of its old value stays.
   */
  project(document: Document, includes: boolean): Document {
    return this.compute(this.#select(document, includes), document);
  }

  #select(document: Document, includes: boolean): Document {
    const result: Document = {};
    for (const [name, value] of Object.entries(document)) {
      const child = this.#children.get(name);
      const selected =
        child instanceof FieldTree
          ? child.#selectIn(value, includes)
          : child === 'kept' || (child !== 'dropped' && includes === (child === 'listed'))
            ? value
            : MISSING;
      if (selected !== MISSING || (child instanceof FieldTree && child.#computes)) {
        result[name] = selected;
      }
    }
    return result;
  }

  #selectIn(value: unknown, includes: boolean): unknown {
    if (isDocument(value)) {
      return this.#select(value, includes);
    }
    if (!Array.isArray(value)) {
      return includes ? MISSING : value;
    }
    const items = value.map((item) => this.#selectIn(item, includes));
    // A computed field turns the scalars of an array into documents, so their places stay.
    return this.#computes ? items : items.filter((item) => item !== MISSING);
  }

  /**
   * A copy of `document` with the computed fields, which are computed from `root`. A missing value removes its field. Values are
   * shared, so `part` bounds their size: a few stages could build a document too large to be visited.
   */
  compute(document: Document, root: Document, part = partsOfValue()): Document {
    if (!this.#computes) {
      return document;
    }
    const result = { ...document };
    for (const [name, child] of this.#children) {
      if (child instanceof FieldTree && child.#computes) {
        result[name] = child.#computeIn(result[name], root, part);
      } else if (typeof child === 'function') {
        setOrDelete(result, name, part(child(root)));
      }
    }
    return result;
  }

  /** Each element of an array gets the fields, also in inner arrays. A scalar is replaced by a document. */
  #computeIn(value: unknown, root: Document, part: Part): unknown {
    if (Array.isArray(value)) {
      return value.map((item) => this.#computeIn(item, root, part));
    }
    return this.compute(isDocument(value) ? value : {}, root, part);
  }
}

function setOrDelete(document: Document, name: string, value: unknown): void {
  if (value === MISSING) {
    delete document[name];
  } else {
    document[name] = value;
  }
}
