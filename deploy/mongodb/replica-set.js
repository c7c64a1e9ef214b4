// For mongosh, beside the first member: makes the replica set, an administrator, and the user of the gateway, who can read
// and write one database. It can run again, also after a run that was cut off.
const { readFileSync } = require('node:fs');

const MEMBERS = ['mongo1:27017', 'mongo2:27017', 'mongo3:27017'];
const DATABASE = 'auth_gateway';
const secret = (name) => readFileSync(`/run/secrets/${name}`, 'utf8').trim();

const local = connect('mongodb://127.0.0.1:27017/admin?directConnection=true');

/** The first member should win the first election: it makes the first user. */
function initiate() {
  if (local.hello().setName === undefined) {
    const members = MEMBERS.map((host, _id) => ({ _id, host, priority: _id === 0 ? 2 : 1 }));
    local.adminCommand({ replSetInitiate: { _id: 'rs0', members } });
  }
}

function waitForPrimary() {
  for (let tries = 0; tries < 120; tries += 1) {
    if (local.hello().isWritablePrimary) {
      return;
    }
    sleep(1000);
  }
  throw new Error('The first member did not become the primary within two minutes.');
}

/** Once there is a user, nobody can make another one without a password. */
function createAdministrator(pwd) {
  try {
    local.createUser({ user: 'admin', pwd, roles: ['root'] });
  } catch (error) {
    if (error.codeName !== 'Unauthorized') {
      throw error;
    }
  }
}

function createGatewayUser(adminPassword, pwd) {
  local.auth('admin', adminPassword);
  const database = local.getSiblingDB(DATABASE);
  if (database.getUser('gateway') === null) {
    database.createUser({ user: 'gateway', pwd, roles: ['readWrite'] });
  }
}

initiate();
waitForPrimary();
const adminPassword = secret('mongo_admin_password');
createAdministrator(adminPassword);
createGatewayUser(adminPassword, secret('mongo_gateway_password'));
