/**
 * The types of a document's result and variables, which exist at compile time only. It is the interface of that name in
 * `@graphql-typed-document-node/core`, so that clients that know that one infer the same types from these documents.
 */
export interface DocumentTypeDecoration<Result, Variables> {
  __apiType?: (variables: Variables) => Result;
}
