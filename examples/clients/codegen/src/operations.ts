import { graphql } from './gql';

export const RegisterPatient = graphql(`
  mutation RegisterPatient($input: RegisterPatientInput!) {
    registerPatient(input: $input) { account { id name role } token }
  }
`);
export const RegisterDoctor = graphql(`
  mutation RegisterDoctor($input: RegisterDoctorInput!) {
    registerDoctor(input: $input) { account { id name role } profile { specialization licenseFileUrl } token }
  }
`);
export const Login = graphql(`
  mutation Login($input: LoginInput!) {
    login(input: $input) { account { id name role } token }
  }
`);
export const Me = graphql(`
  query Me {
    me { id name email role createdAt profile { specialization verification { status } } }
  }
`);
export const Logout = graphql(`
  mutation Logout { logout { message } }
`);
export const RequestPasswordReset = graphql(`
  mutation RequestPasswordReset($email: String!) {
    requestPasswordReset(email: $email) { message }
  }
`);
export const ResetPassword = graphql(`
  mutation ResetPassword($input: ResetPasswordInput!) {
    resetPassword(input: $input) { message }
  }
`);
