import { ServiceUnavailableError, TooManyAttemptsError } from '../errors.ts';

/** How much may be in quarantine at a time. */
export interface RoomLimits {
  uploads: number;
  bytes: number;
}

export interface UploadRoomLimits {
  all: RoomLimits;
  perAddress: RoomLimits;
}

/** What one upload takes up. */
export interface UploadPlace {
  /** The declared length of the body, or what has come of it where that is more. */
  readonly heldBytes: number;
  /**
   * Takes more room, for a body that did not declare its length.
   * @param bytes what has come so far
   * @throws as {@link UploadRoom.enter}
   */
  growTo(bytes: number): void;
  /** Gives the room back. Only the first call counts. */
  leave(): void;
}

/** An upload takes seconds to minutes, so places become free all the time. */
const RETRY_AFTER_SECONDS = 10;

/**
 * The room for uploads. A sender who is slow on purpose costs us disk space and connections, so both are bounded: for
 * each address, so that one sender cannot take everything, and for all together, so that many senders cannot fill the
 * disk (OWASP API4:2023; ASVS 5.0 item 5.2.1).
 *
 * A declared length is taken at once: a body that has been let in is not refused later because others have come.
 */
export class UploadRoom {
  readonly #all: RoomLimits = { uploads: 0, bytes: 0 };
  readonly #byAddress = new Map<string, RoomLimits>();

  constructor(private readonly limits: UploadRoomLimits) {}

  /**
   * Takes room for an upload.
   * @param address the counted address of its sender
   * @param declaredBytes the length of its body, 0 where it is not declared
   * @throws TooManyAttemptsError when the address has too much under way, ServiceUnavailableError when all together have
   */
  enter(address: string, declaredBytes: number): UploadPlace {
    this.#take(address, { uploads: 1, bytes: declaredBytes });
    let heldBytes = declaredBytes;
    let hasLeft = false;
    return {
      get heldBytes() {
        return heldBytes;
      },
      growTo: (bytes) => {
        if (hasLeft || bytes <= heldBytes) return;
        this.#take(address, { uploads: 0, bytes: bytes - heldBytes });
        heldBytes = bytes;
      },
      leave: () => {
        if (hasLeft) return;
        hasLeft = true;
        this.#giveBack(address, heldBytes);
      },
    };
  }

  #take(address: string, more: RoomLimits): void {
    const own = this.#byAddress.get(address) ?? { uploads: 0, bytes: 0 };
    if (!fits(own, more, this.limits.perAddress)) throw new TooManyAttemptsError(RETRY_AFTER_SECONDS);
    if (!fits(this.#all, more, this.limits.all)) throw new ServiceUnavailableError('no room for an upload');
    this.#byAddress.set(address, own);
    for (const held of [own, this.#all]) {
      held.uploads += more.uploads;
      held.bytes += more.bytes;
    }
  }

  #giveBack(address: string, bytes: number): void {
    const own = this.#byAddress.get(address);
    if (!own) return;
    for (const held of [own, this.#all]) {
      held.uploads -= 1;
      held.bytes -= bytes;
    }
    if (own.uploads === 0) this.#byAddress.delete(address);
  }
}

const fits = (held: RoomLimits, more: RoomLimits, limits: RoomLimits): boolean =>
  held.uploads + more.uploads <= limits.uploads && held.bytes + more.bytes <= limits.bytes;
