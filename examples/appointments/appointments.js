import { randomUUID } from 'node:crypto';

/**
 * @typedef {object} Appointment
 * @property {string} id
 * @property {string} patient the id of an account
 * @property {string} doctor the id of an account
 * @property {string} startsAt in ISO 8601
 * @property {boolean} isConfirmed true if the doctor has confirmed it
 */

/** The appointments, in memory. */
export class Appointments {
  /** @type {Map<string, Appointment>} */
  #byId = new Map();

  /**
   * @param {Pick<Appointment, 'patient' | 'doctor' | 'startsAt'>} fields
   * @returns {Appointment | undefined} undefined if the doctor is not free then
   */
  book(fields) {
    const { doctor, startsAt } = fields;
    if (this.of(doctor).some((other) => other.doctor === doctor && other.startsAt === startsAt)) {
      return undefined;
    }
    const appointment = { id: randomUUID(), ...fields, isConfirmed: false };
    this.#byId.set(appointment.id, appointment);
    return appointment;
  }

  /**
   * The appointments of an account, as the patient or as the doctor.
   * @param {string} accountId
   */
  of(accountId) {
    return [...this.#byId.values()].filter(({ patient, doctor }) => [patient, doctor].includes(accountId));
  }

  /**
   * Confirms an appointment of a doctor.
   * @param {string} id
   * @param {string} doctor the id of an account
   * @returns {boolean} false if it does not exist, or has another doctor
   */
  confirm(id, doctor) {
    const appointment = this.#byId.get(id);
    if (appointment?.doctor !== doctor) {
      return false;
    }
    appointment.isConfirmed = true;
    return true;
  }

  /**
   * Removes an appointment of an account.
   * @param {string} id
   * @param {string} accountId
   * @returns {boolean} false if it does not exist, or belongs to others
   */
  cancel(id, accountId) {
    return this.of(accountId).some((appointment) => appointment.id === id) && this.#byId.delete(id);
  }
}
