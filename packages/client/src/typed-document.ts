/**
 * The types of a document's result and variables, at compile time only. It is the same interface as in
 * `@graphql-typed-document-node/core`, so that other clients infer the types of these documents, too.
 */
export interface DocumentTypeDecoration<Result, Variables> {
  __apiType?: (variables: Variables) => Result;
}
