const PASSWORD = 'correct horse';
/** The smallest text that passes as a PDF. */
const DOCUMENT = '%PDF-1.4\n';
const JSON_TYPE = { 'Content-Type': 'application/json' };

const json = (path, fields) => ({ method: 'POST', path, headers: JSON_TYPE, body: JSON.stringify(fields) });
const graphql = (query, variables) => json('/graphql', { query, variables });
const withToken = (request) => ({
  ...request,
  headers: { ...request.headers, Authorization: 'Bearer $TOKEN' },
});
// The blank after each `!` is for people who paste what the tour prints: `!)` may be a command of the shell's history.
const registerDoctor = {
  query:
    'mutation ($input: RegisterDoctorInput! ) { registerDoctor(input: $input) { account { role } profile { licenseFileUrl } } }',
  map: {
    license: ['variables.input.licenseFile'],
    diploma: ['variables.input.diplomaFile'],
    certification: ['variables.input.certificationFile'],
  },
};

/**
 * The steps of the tour, in their order, each with the status of its answer. A request has `form` instead of `body` if it
 * carries documents; in its headers, `$TOKEN` stands for the last token that was answered.
 * @param who makes the e-mails of this run its own
 */
export const stepsFor = (who) => [...restSteps(who), ...graphqlSteps(who)];

const restSteps = (who) => [
  {
    title: 'REST: register a patient',
    request: json('/api/v1/auth/register/patient', {
      name: 'Pat Example',
      email: `pat.${who}@example.org`,
      password: PASSWORD,
    }),
    status: 201,
  },
  {
    title: 'REST: register a doctor, with three documents',
    request: {
      method: 'POST',
      path: '/api/v1/auth/register/doctor',
      headers: {},
      form: {
        name: 'Dr. Ada Example',
        email: `ada.${who}@example.org`,
        phone: '+49 30 1234567',
        password: PASSWORD,
        specialization: 'Cardiology',
        license_number: 'L-1024',
        license_file: { name: 'license.pdf', text: DOCUMENT },
        diploma_file: { name: 'diploma.pdf', text: DOCUMENT },
        certification_file: { name: 'certification.pdf', text: DOCUMENT },
      },
    },
    status: 201,
  },
  {
    title: 'REST: log in, in upper or lower case',
    request: json('/api/v1/auth/login', { email: `PAT.${who}@example.org`, password: PASSWORD }),
    status: 200,
  },
  {
    title: 'REST: whose token is it?',
    request: withToken({ method: 'GET', path: '/api/v1/user', headers: {} }),
    status: 200,
  },
  {
    title: 'REST: log out',
    request: withToken({ method: 'POST', path: '/api/v1/auth/logout', headers: {} }),
    status: 200,
  },
  {
    title: 'REST: from now on the token is worth nothing',
    request: withToken({ method: 'GET', path: '/api/v1/user', headers: {} }),
    status: 401,
  },
];

const graphqlSteps = (who) => [
  {
    title: 'GraphQL: register a patient',
    request: graphql(
      'mutation ($input: RegisterPatientInput! ) { registerPatient(input: $input) { account { id name role } token } }',
      { input: { name: 'Sam Example', email: `sam.${who}@example.org`, password: PASSWORD } },
    ),
    status: 200,
  },
  {
    title: 'GraphQL: register a doctor (a multipart request: operations, map, files)',
    request: {
      method: 'POST',
      path: '/graphql',
      headers: { 'Apollo-Require-Preflight': 'true' },
      form: {
        operations: JSON.stringify({
          query: registerDoctor.query,
          variables: { input: doctorInput(`bo.${who}@example.org`) },
        }),
        map: JSON.stringify(registerDoctor.map),
        license: { name: 'license.pdf', text: DOCUMENT },
        diploma: { name: 'diploma.pdf', text: DOCUMENT },
        certification: { name: 'certification.pdf', text: DOCUMENT },
      },
    },
    status: 200,
  },
  {
    title: 'GraphQL: log in',
    request: graphql('mutation ($input: LoginInput! ) { login(input: $input) { account { email } token } }', {
      input: { email: `bo.${who}@example.org`, password: PASSWORD },
    }),
    status: 200,
  },
  {
    title: 'GraphQL: look at yourself, and at your tokens',
    request: withToken(
      graphql(
        '{ me { name role profile { specialization certificationUrl } } myTokens { name abilities current } }',
      ),
    ),
    status: 200,
  },
  {
    title: 'GraphQL: log out',
    request: withToken(graphql('mutation { logout { message } }')),
    status: 200,
  },
];

const doctorInput = (email) => ({
  name: 'Dr. Bo Example',
  email,
  phone: '+49 30 7654321',
  password: PASSWORD,
  specialization: 'Surgery',
  licenseNumber: 'L-2048',
  licenseFile: null,
  diplomaFile: null,
  certificationFile: null,
});
