/** Types of a document: its result and its variables. The generated code imports it by this name. */
export interface DocumentTypeDecoration<TResult, TVariables> {
  __apiType?: (variables: TVariables) => TResult;
}
