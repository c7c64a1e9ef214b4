/*
 * type-graphql 2.0.0-rc.4: reads its metadata storage, which has no documentation.
 * Reason: no function says from which class an input type or the arguments of a field were made.
 * tests/unit/patches/type-graphql.test.ts fails when the storage has them in another place.
 */
import { getMetadataStorage } from 'type-graphql';

type InputClass = new () => object;

/** The class that an input type was made from, if it was made from one. */
export function inputClassOf(typeName: string): InputClass | undefined {
  const inputType = getMetadataStorage().inputTypes.find(({ name }) => name === typeName);
  return inputType?.target as InputClass | undefined;
}

/** The class that takes all arguments of a root field, if there is one. */
export function argsClassOf(field: string): InputClass | undefined {
  const { mutations, queries } = getMetadataStorage();
  const resolver = [...mutations, ...queries].find(({ schemaName }) => schemaName === field);
  const param = resolver?.params?.find(({ kind }) => kind === 'args');
  return param?.kind === 'args' ? (param.getType() as InputClass) : undefined;
}
