import type { Result, Review, ReviewedDoctor, ReviewQuery, VerificationStatus } from '@auth-gateway/client';
import { client } from '../../session.ts';

type Decision = Pick<Review, 'decision' | 'reason'>;

/** The doctors of one status as far as they are read, and which of them is shown. It knows nothing of the page. */
export class ReviewQueue {
  doctors: readonly ReviewedDoctor[] = [];
  /** The doctor who is shown; undefined only if there is none. */
  selected: ReviewedDoctor | undefined;
  /** The cursor after which there are more doctors; null if all are read. */
  #after: string | null = null;
  #status: VerificationStatus = 'PENDING';
  #reads = 0;

  get status(): VerificationStatus {
    return this.#status;
  }

  get hasMore(): boolean {
    return this.#after !== null;
  }

  /** Reads the first page of a status. The selected doctor stays selected, if it is there. */
  async read(status = this.#status): Promise<Result<unknown, keyof ReviewQuery>> {
    this.#status = status;
    const selectedId = this.selected?.account.id;
    return this.#page({ status }, (doctors) => {
      this.doctors = doctors;
      this.selected = doctors.find(({ account }) => account.id === selectedId) ?? doctors[0];
    });
  }

  /** Reads the next page. */
  async readMore(): Promise<Result<unknown, keyof ReviewQuery>> {
    return this.#page({ status: this.#status, after: this.#after }, (doctors) => {
      this.doctors = [...this.doctors, ...doctors];
      this.selected ??= doctors[0];
    });
  }

  async #page(
    query: ReviewQuery,
    take: (doctors: ReviewedDoctor[]) => void,
  ): Promise<Result<unknown, keyof ReviewQuery>> {
    this.#reads += 1;
    const read = this.#reads;
    const page = await client.reviews.list(query);
    // An answer that a later read has overtaken would show the doctors of another status.
    if (page.ok && read === this.#reads) {
      const { edges, pageInfo } = page.data;
      this.#after = pageInfo.hasNextPage ? pageInfo.endCursor : null;
      take(edges.map(({ node }) => node));
    }
    return page;
  }

  /** Selects a doctor of the list. */
  select(doctor: ReviewedDoctor): void {
    this.selected = doctor;
  }

  /** Selects the next doctor (1) or the one before (-1). At an end it stays. @returns whether it has moved */
  step(by: 1 | -1): boolean {
    const next = this.selected && this.doctors[this.doctors.indexOf(this.selected) + by];
    this.selected = next ?? this.selected;
    return next !== undefined;
  }

  /** Decides on a doctor, who then leaves the list, and selects the next one. */
  async decide(doctor: ReviewedDoctor, decision: Decision): Promise<Result<ReviewedDoctor, keyof Review>> {
    const { account, revision } = doctor;
    const result = await client.reviews.decide({ id: account.id, revision, ...decision });
    if (result.ok) {
      const index = this.doctors.indexOf(doctor);
      this.doctors = this.doctors.filter((other) => other !== doctor);
      this.selected = this.doctors[index] ?? this.doctors.at(-1);
    }
    return result;
  }
}
