/* eslint-disable */
import * as types from './graphql.ts';



/**
 * Map of all GraphQL operations in the project.
 *
 * This map has several performance disadvantages:
 * 1. It is not tree-shakeable, so it will include all operations in the project.
 * 2. It is not minifiable, so the string of a GraphQL query will be multiple times inside the bundle.
 * 3. It does not support dead code elimination, so it will add unused operations.
 *
 * Therefore it is highly recommended to use the babel or swc plugin for production.
 * Learn more about it here: https://the-guild.dev/graphql/codegen/plugins/presets/preset-client#reducing-bundle-size
 */
type Documents = {
    "query Me {\n  me {\n    ...AccountFields\n    profile {\n      ...DoctorProfileFields\n    }\n  }\n}\n\nquery MyTokens {\n  myTokens {\n    id\n    name\n    abilities\n    createdAt\n    lastUsedAt\n    expiresAt\n    current\n  }\n}\n\nmutation RevokeToken($id: ID!) {\n  revokeToken(id: $id)\n}\n\nmutation RevokeOtherTokens {\n  revokeOtherTokens\n}": typeof types.MeDocument,
    "fragment AccountFields on Account {\n  id\n  name\n  email\n  phone\n  role\n  createdAt\n}\n\nfragment DoctorProfileFields on DoctorProfile {\n  specialization\n  licenseNumber\n  licenseFileUrl\n  diplomaFileUrl\n  certificationUrl\n  currentInstitution\n  workHistory\n  publications\n  practiceAddress\n}\n\nmutation RegisterDoctor($input: RegisterDoctorInput!) {\n  registerDoctor(input: $input) {\n    account {\n      ...AccountFields\n    }\n    profile {\n      ...DoctorProfileFields\n    }\n    token\n  }\n}\n\nmutation RegisterPatient($input: RegisterPatientInput!) {\n  registerPatient(input: $input) {\n    account {\n      ...AccountFields\n    }\n    token\n  }\n}\n\nmutation Login($input: LoginInput!) {\n  login(input: $input) {\n    account {\n      ...AccountFields\n    }\n    token\n  }\n}\n\nmutation Logout {\n  logout {\n    message\n  }\n}": typeof types.AccountFieldsFragmentDoc,
};
const documents: Documents = {
    "query Me {\n  me {\n    ...AccountFields\n    profile {\n      ...DoctorProfileFields\n    }\n  }\n}\n\nquery MyTokens {\n  myTokens {\n    id\n    name\n    abilities\n    createdAt\n    lastUsedAt\n    expiresAt\n    current\n  }\n}\n\nmutation RevokeToken($id: ID!) {\n  revokeToken(id: $id)\n}\n\nmutation RevokeOtherTokens {\n  revokeOtherTokens\n}": types.MeDocument,
    "fragment AccountFields on Account {\n  id\n  name\n  email\n  phone\n  role\n  createdAt\n}\n\nfragment DoctorProfileFields on DoctorProfile {\n  specialization\n  licenseNumber\n  licenseFileUrl\n  diplomaFileUrl\n  certificationUrl\n  currentInstitution\n  workHistory\n  publications\n  practiceAddress\n}\n\nmutation RegisterDoctor($input: RegisterDoctorInput!) {\n  registerDoctor(input: $input) {\n    account {\n      ...AccountFields\n    }\n    profile {\n      ...DoctorProfileFields\n    }\n    token\n  }\n}\n\nmutation RegisterPatient($input: RegisterPatientInput!) {\n  registerPatient(input: $input) {\n    account {\n      ...AccountFields\n    }\n    token\n  }\n}\n\nmutation Login($input: LoginInput!) {\n  login(input: $input) {\n    account {\n      ...AccountFields\n    }\n    token\n  }\n}\n\nmutation Logout {\n  logout {\n    message\n  }\n}": types.AccountFieldsFragmentDoc,
};

/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "query Me {\n  me {\n    ...AccountFields\n    profile {\n      ...DoctorProfileFields\n    }\n  }\n}\n\nquery MyTokens {\n  myTokens {\n    id\n    name\n    abilities\n    createdAt\n    lastUsedAt\n    expiresAt\n    current\n  }\n}\n\nmutation RevokeToken($id: ID!) {\n  revokeToken(id: $id)\n}\n\nmutation RevokeOtherTokens {\n  revokeOtherTokens\n}"): typeof import('./graphql.ts').MeDocument;
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "fragment AccountFields on Account {\n  id\n  name\n  email\n  phone\n  role\n  createdAt\n}\n\nfragment DoctorProfileFields on DoctorProfile {\n  specialization\n  licenseNumber\n  licenseFileUrl\n  diplomaFileUrl\n  certificationUrl\n  currentInstitution\n  workHistory\n  publications\n  practiceAddress\n}\n\nmutation RegisterDoctor($input: RegisterDoctorInput!) {\n  registerDoctor(input: $input) {\n    account {\n      ...AccountFields\n    }\n    profile {\n      ...DoctorProfileFields\n    }\n    token\n  }\n}\n\nmutation RegisterPatient($input: RegisterPatientInput!) {\n  registerPatient(input: $input) {\n    account {\n      ...AccountFields\n    }\n    token\n  }\n}\n\nmutation Login($input: LoginInput!) {\n  login(input: $input) {\n    account {\n      ...AccountFields\n    }\n    token\n  }\n}\n\nmutation Logout {\n  logout {\n    message\n  }\n}"): typeof import('./graphql.ts').AccountFieldsFragmentDoc;


export function graphql(source: string) {
  return (documents as any)[source] ?? {};
}
