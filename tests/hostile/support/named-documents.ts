/** Makes a document with up to three names in it. */
export type NamedDocument = (one: string, two: string, three: string) => string;

/** Documents with names in every position that has one (GraphQL section 2), valid ones and others. */
export const EXECUTABLE: Record<string, NamedDocument> = {
  fields: (a, b, c) => `{ ${a} { ${b} } me { ${c} } }`,
  aliases: (a, b, c) => `{ ${a}: __typename ${b}: me { ${c}: id } }`,
  operations: (a, b) => `query ${a} { __typename } mutation ${b} { logout { message } }`,
  arguments: (a, b, c) => `mutation { revokeToken(${a}: 1, ${b}: "x") login(${c}: {}) { token } }`,
  variables: (a, b, c) => `query ($${a}: Int, $${b}: Boolean = true) { __typename @include(if: $${c}) }`,
  types: (a, b, c) => `query ($x: ${a}, $y: [${b}!]!) { ... on ${c} { __typename } }`,
  directives: (a, b, c) => `query @${a} { __typename @${b} @skip(${c}: 1) }`,
  fragments: (a, b, c) => `{ ...${a} } fragment ${a} on ${b} { ...${c} }`,
  'enum values': (a, b) =>
    `query ($s: VerificationStatus = ${a}) { doctorsForReview(status: ${b}) { edges { cursor } } }`,
  'object keys': (a, b, c) => `mutation { login(input: { ${a}: 1, ${b}: { ${c}: ENUM } }) { token } }`,
};

/** Documents that define something that is compared with another name of the same document. */
export const DEFINING: Record<string, NamedDocument> = {
  'a type': (a, b, c) => `query ($x: ${a}) { __typename } type ${b} { ${c}: Int }`,
  'a described type': (a, b, c) => `query ($x: ${a}) { __typename } """${c}""" type ${b} { x: Int }`,
  'a scalar first': (a, b) => `scalar ${b} query ($x: ${a}) { __typename }`,
  'an interface': (a, b, c) => `{ ... on ${a} { x } } interface ${b} { ${c}: Int }`,
  'a union': (a, b, c) => `{ ...F } fragment F on ${a} { x } union ${b} = ${c}`,
  'an enum': (a, b, c) => `query ($x: ${a} = ${c}) { __typename } enum ${b} { ${c}_ }`,
  'an input': (a, b, c) => `query ($x: ${a} = { ${c}: 1 }) { __typename } input ${b} { ${c}_: Int }`,
  'a directive': (a, b, c) => `{ __typename @${a}(${b}: 1) } directive @${a}(${c}: Int) on FIELD`,
  'a schema': (a, b, c) => `{ __typename @${a} } schema @${b} { query: ${c} }`,
  'an extension of a type': (a, b, c) => `query ($x: ${a}) { __typename } extend type ${b} { ${c}: Int }`,
  'an extension of the schema': (a, b, c) => `{ ${a} } extend schema @${b}(${c}: 1)`,
};

/** Requests whose names are not in the document, but in the JSON around it. */
export const AROUND: Record<string, (one: string, two: string, three: string) => object> = {
  'keys of variables': (a, b, c) => ({
    query: 'mutation ($input: LoginInput!) { login(input: $input) { token } }',
    variables: { [a]: 1, input: { email: 'x', [b]: 1, [c]: { [a]: b } } },
  }),
  'an enum value in the variables': (a) => ({
    query: 'query ($s: VerificationStatus) { doctorsForReview(status: $s) { edges { cursor } } }',
    variables: { s: a },
  }),
  'an enum value of a mutation': (a, b) => ({
    query:
      'mutation ($d: ReviewDecision!, $r: String) { decideOnDoctor(id: "1", revision: 1, decision: $d, reason: $r) { revision } }',
    variables: { d: a, r: b },
  }),
  'names for other types': (a, b, c) => ({
    query:
      'query ($n: Int, $b: Boolean!, $i: String) { doctorsForReview(first: $n, after: $i) { edges @skip(if: $b) { cursor } } }',
    variables: { n: a, b, i: c },
  }),
  'the name of the operation': (a, b, c) => ({
    query: 'query a { __typename } query b { __typename }',
    operationName: a,
    extensions: { [b]: c },
  }),
};
