import type { Document } from 'bson';
import { demand, notImplemented } from '../base/errors.ts';
import { lookUp } from '../base/look-up.ts';
import { compileExpression } from '../expressions/expressions.ts';
import { parseFieldPath } from '../expressions/field-path.ts';
import { OPERATORS } from '../expressions/operators/operators.ts';
import { boundPatterns, type MatchContext } from '../values/match-context.ts';
import { joinPath, outerName } from '../values/names.ts';
import { isNumeric } from '../values/numbers.ts';
import { isTrue } from '../values/truth.ts';
import { isDocument } from '../values/types.ts';
import { compileElemMatch, compileSlice, sliceAt } from './array-projection.ts';
import { FieldTree } from './field-tree.ts';

/** Gives the projected document. */
export type Projector = (document: Document) => Document;

/**
 * A projection as a function; undefined for none.
 * @param kind in a `stage`, $slice is an expression; in a `find`, it and $elemMatch select elements of the field itself
 * @throws CommandError as MongoDB does: for a mix of inclusion and exclusion (31253, 31254), for colliding paths (31249, 31250)…
 */
export function compileProjection(
  projection: Document | undefined,
  context: MatchContext,
  kind: 'find' | 'stage' = 'find',
): Projector | undefined {
  if (!projection || Object.keys(projection).length === 0) {
    return undefined;
  }
  return boundPatterns(context, (own) => new ProjectionParser(kind, own).parse(projection));
}

/** Reads one specification. The rules and codes are those of MongoDB's projection parser. */
class ProjectionParser {
  readonly #tree = new FieldTree();
  readonly #slices: Projector[] = [];
  #includes: boolean | undefined;
  #includesId: boolean | undefined;
  #hasElemMatch = false;

  constructor(
    readonly kind: 'find' | 'stage',
    readonly context: MatchContext,
  ) {}

  parse(projection: Document): Projector {
    const names = Object.keys(projection);
    for (const name of names) {
      this.#element([], outerName(name), projection[name]);
    }
    const includes = this.#includes ?? this.#includesByDefault();
    if (includes && !names.some((name) => name === '_id' || name.startsWith('_id.'))) {
      this.#tree.add(['_id'], 'kept');
    }
    return (document) =>
      this.#slices.reduce((result, slice) => slice(result), this.#tree.project(document, includes));
  }

  /** For a projection of `_id`, $slice and $elemMatch alone. */
  #includesByDefault(): boolean {
    return this.#includesId === true || (this.#hasElemMatch && this.#slices.length === 0);
  }

  #element(prefix: readonly string[], name: string, value: unknown): void {
    if (/\.\$(?:\.|$)/.test(name)) {
      throw notImplemented('positional projection');
    }
    const parts = [...prefix, ...parseFieldPath(name)];
    if (isDocument(value)) {
      this.#object(parts, value);
    } else if (typeof value === 'boolean' || isNumeric(value)) {
      this.#flag(parts, isTrue(value));
    } else {
      this.#tree.add(parts, compileExpression(value, this.context));
      this.#decide(true, 31310, parts);
    }
  }

  #flag(parts: readonly string[], includes: boolean): void {
    if (parts.length === 1 && parts[0] === '_id') {
      this.#tree.add(parts, includes ? 'kept' : 'dropped');
      this.#includesId = includes;
      return;
    }
    this.#tree.add(parts, 'listed');
    this.#decide(includes, includes ? 31253 : 31254, parts);
  }

  /** Every field but `_id` decides whether it is an inclusion. All must agree. */
  #decide(includes: boolean, code: number, parts: readonly string[]): void {
    const isMixed = this.#includes === !includes;
    demand(!isMixed, code, `Cannot do inclusion and exclusion in a projection: ${joinPath(parts)}`);
    this.#includes = includes;
  }

  #object(parts: readonly string[], value: Document): void {
    const names = Object.keys(value);
    demand(names.length > 0, 51270, `Invalid empty sub-projection: ${joinPath(parts)}`);
    if (names.length === 1 && names[0]?.startsWith('$')) {
      this.#operator(parts, names[0], value);
      return;
    }
    this.#tree.add(parts);
    for (const name of names) {
      this.#element(parts, outerName(name), value[name]);
    }
  }

  #operator(parts: readonly string[], operator: string, value: Document): void {
    const slice = operator === '$slice' && this.kind === 'find' && compileSlice(value.$slice);
    if (slice) {
      this.#tree.add(parts, 'kept');
      this.#slices.push((document) => sliceAt(document, parts, slice));
      return;
    }
    if (operator === '$elemMatch') {
      this.#elemMatch(parts, value.$elemMatch);
      return;
    }
    demand(lookUp(OPERATORS, operator), 31325, `Unknown expression ${operator}, or not one of this engine's`);
    this.#decide(true, 31252, parts);
    this.#tree.add(parts, compileExpression(value, this.context));
  }

  #elemMatch(parts: readonly string[], operand: unknown): void {
    demand(this.kind === 'find', 'InvalidPipelineOperator', 'Cannot use $elemMatch in this context');
    demand(isDocument(operand), 31274, 'elemMatch: Invalid argument, object required');
    demand(parts.length === 1, 31275, 'Cannot use $elemMatch projection on a nested field.');
    this.#tree.add(parts, compileElemMatch(parts[0] as string, operand, this.context));
    this.#hasElemMatch = true;
  }
}
