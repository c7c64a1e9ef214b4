import { cpus, hostname, machine, release, totalmem, type, version } from 'node:os';
import { mongoError } from '../../base/errors.ts';
import type { CommandDefinition } from '../support/command.ts';
import { VERSION } from './version.ts';

const LOGS = ['global', 'startupWarnings'];

/** mongosh and Compass ask for warnings when they start. The engine keeps no log, so both logs are empty. */
export const getLogCommand: CommandDefinition = {
  fields: [],
  run: ({ command: { getLog } }) => {
    if (getLog === '*') {
      return { names: LOGS };
    }
    if (LOGS.includes(getLog)) {
      return { totalLinesWritten: 0, log: [] };
    }
    throw mongoError('NotImplemented', `the log '${getLog}' is not implemented by the embedded engine`);
  },
};

/** There are no users. */
export const connectionStatusCommand: CommandDefinition = {
  fields: ['showPrivileges'],
  run: ({ command: { showPrivileges } }) => {
    const privileges = showPrivileges ? { authenticatedUserPrivileges: [] } : {};
    return { authInfo: { authenticatedUsers: [], authenticatedUserRoles: [], ...privileges } };
  },
};

/** The one parameter that mongosh asks for. */
export const getParameterCommand: CommandDefinition = {
  fields: ['featureCompatibilityVersion'],
  run: ({ command }) => {
    if (command.getParameter !== '*' && !command.featureCompatibilityVersion) {
      throw mongoError('InvalidOptions', 'no option found to get');
    }
    return { featureCompatibilityVersion: { version: VERSION.split('.', 2).join('.') } };
  },
};

/** Compass does not connect without it. */
export const hostInfoCommand: CommandDefinition = {
  fields: [],
  run: () => ({
    system: {
      currentTime: new Date(),
      hostname: hostname(),
      memSizeMB: Math.floor(totalmem() / 1024 / 1024),
      numCores: cpus().length,
      cpuArch: machine(),
    },
    os: { type: type(), name: version(), version: release() },
    extra: {},
  }),
};
