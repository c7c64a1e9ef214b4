import { ServiceUnavailableError, TooManyAttemptsError } from '../../errors/errors.ts';

/** How many uploads may be under way at the same time, and how many bytes they may hold. */
export interface RoomLimits {
  uploads: number;
  bytes: number;
}

export interface UploadRoomLimits {
  all: RoomLimits;
  perAddress: RoomLimits;
}

/** The room of one upload. */
export interface UploadPlace {
  /** The declared length of the body, or the received length if that is more. */
  readonly heldBytes: number;
  /**
   * Takes more room, for a body that did not declare its length.
   * @param bytes received so far
   * @throws as {@link UploadRoom.enter}
   */
  growTo(bytes: number): void;
  /** Gives the room back. Only the first call counts. */
  leave(): void;
}

/** An upload takes seconds to minutes, so room becomes free all the time. */
const RETRY_AFTER_SECONDS = 10;

/**
 * The room for uploads. A sender who is slow on purpose costs disk space and connections, so both are limited: per address,
 * so that one sender cannot take everything, and in all, so that many senders cannot fill the disk (OWASP API4:2023; ASVS
 * 5.0 item 5.2.1).
 *
 * A declared length is taken at once. So a body that was admitted is not refused later because of other uploads.
 */
export class UploadRoom {
  readonly #all: RoomLimits = { uploads: 0, bytes: 0 };
  readonly #byAddress = new Map<string, RoomLimits>();

  constructor(private readonly limits: UploadRoomLimits) {}

  /**
   * Takes room for an upload.
   * @param address of its sender, or the network that counts as one
   * @param declaredBytes the length of its body, 0 if it is not declared
   * @throws TooManyAttemptsError if the address has no room left, ServiceUnavailableError if there is no room in all
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
        if (hasLeft || bytes <= heldBytes) {
          return;
        }
        this.#take(address, { uploads: 0, bytes: bytes - heldBytes });
        heldBytes = bytes;
      },
      leave: () => {
        if (hasLeft) {
          return;
        }
        hasLeft = true;
        this.#giveBack(address, heldBytes);
      },
    };
  }

  #take(address: string, more: RoomLimits): void {
    const own = this.#byAddress.get(address) ?? { uploads: 0, bytes: 0 };
    if (!fits(own, more, this.limits.perAddress)) {
      throw new TooManyAttemptsError(RETRY_AFTER_SECONDS);
    }
    if (!fits(this.#all, more, this.limits.all)) {
      throw new ServiceUnavailableError('no room for an upload');
    }
    this.#byAddress.set(address, own);
    for (const held of [own, this.#all]) {
      held.uploads += more.uploads;
      held.bytes += more.bytes;
    }
  }

  #giveBack(address: string, bytes: number): void {
    const own = this.#byAddress.get(address);
    if (!own) {
      return;
    }
    for (const held of [own, this.#all]) {
      held.uploads -= 1;
      held.bytes -= bytes;
    }
    if (own.uploads === 0) {
      this.#byAddress.delete(address);
    }
  }
}

const fits = (held: RoomLimits, more: RoomLimits, limits: RoomLimits): boolean =>
  held.uploads + more.uploads <= limits.uploads && held.bytes + more.bytes <= limits.bytes;
