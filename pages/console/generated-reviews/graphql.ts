/* eslint-disable */
/** Internal type. DO NOT USE DIRECTLY. */
type Exact<T extends { [key: string]: unknown }> = { [K in keyof T]: T[K] };
/** Internal type. DO NOT USE DIRECTLY. */
export type Incremental<T> = T | { [P in keyof T]?: P extends ' $fragmentName' | '__typename' ? T[P] : never };
import type { DocumentTypeDecoration } from '../typed-document.ts';
/** A document of a doctor. */
export type DoctorDocument =
  /** The certification. */
  | 'CERTIFICATION'
  /** The diploma. */
  | 'DIPLOMA'
  /** The license. */
  | 'LICENSE';

/** Why a reviewer rejects. */
export type RejectionGround =
  /** A document is no longer valid. */
  | 'DOCUMENT_EXPIRED'
  /** The name is not that of the documents. */
  | 'NAME_DIFFERS'
  /** The license number is not in the register. */
  | 'NUMBER_NOT_FOUND'
  /** A document cannot be read. */
  | 'UNREADABLE'
  /** A document is not the one that it should be. */
  | 'WRONG_DOCUMENT';

/** What a reviewer can decide about a doctor. */
export type ReviewDecision =
  /** The doctor becomes `VERIFIED`. If a verified or expired doctor has a proposal, only that is applied. */
  | 'APPROVE'
  /** The verification of a verified doctor ends after the day `until`, or never. All that waits stays. */
  | 'CHANGE_END'
  /** The doctor becomes `REJECTED`, and may submit documents again. If a verified or expired doctor has a proposal, only that is dropped. */
  | 'REJECT'
  /** The doctor becomes `SUSPENDED`, without a proposal. Only for a pending, verified or expired doctor. */
  | 'SUSPEND';

/** What reviewers have decided about a doctor. */
export type VerificationStatus =
  /** The verification has ended. */
  | 'EXPIRED'
  /** The documents wait for a decision. */
  | 'PENDING'
  /** A reviewer has rejected the documents. The doctor may submit them again. */
  | 'REJECTED'
  /** A reviewer has suspended the doctor. */
  | 'SUSPENDED'
  /** A reviewer has approved the documents. */
  | 'VERIFIED';

export type LicenseFitFieldsFragment = { rule: string | null, source: string | null, lookupUrl: string | null };

export type DocumentsFragment = { licenseFileUrl: string, diplomaFileUrl: string, certificationUrl: string };

export type DoctorInReviewFragment = { revision: number, submittedAt: string, isDisabled: boolean, isReasonMailed: boolean, account: { id: string, name: string, email: string, phone: string | null }, profile: { specialization: string, licenseNumber: string, licenseFileUrl: string, diplomaFileUrl: string, certificationUrl: string | null, currentInstitution: string | null, workHistory: string | null, publications: string | null, practiceAddress: string | null, verification: { status: VerificationStatus, decidedAt: string | null, reason: string | null, until: string | null, grounds: Array<RejectionGround> }, proposal: { name: string | null, specialization: string | null, licenseNumber: string | null, submittedAt: string } | null }, newDocuments: { licenseFileUrl: string, diplomaFileUrl: string, certificationUrl: string } | null, licenseFit: { rule: string | null, source: string | null, lookupUrl: string | null } | null, proposedLicenseFit: { rule: string | null, source: string | null, lookupUrl: string | null } | null };

export type DoctorForReviewQueryVariables = Exact<{
  id: string | number;
}>;


export type DoctorForReviewQuery = { doctorForReview: { revision: number, submittedAt: string, isDisabled: boolean, isReasonMailed: boolean, others: Array<{ id: string, name: string, status: VerificationStatus, isDisabled: boolean, hasSameLicenseNumber: boolean, hasSameDocument: boolean }> | null, account: { id: string, name: string, email: string, phone: string | null }, profile: { specialization: string, licenseNumber: string, licenseFileUrl: string, diplomaFileUrl: string, certificationUrl: string | null, currentInstitution: string | null, workHistory: string | null, publications: string | null, practiceAddress: string | null, verification: { status: VerificationStatus, decidedAt: string | null, reason: string | null, until: string | null, grounds: Array<RejectionGround> }, proposal: { name: string | null, specialization: string | null, licenseNumber: string | null, submittedAt: string } | null }, newDocuments: { licenseFileUrl: string, diplomaFileUrl: string, certificationUrl: string } | null, licenseFit: { rule: string | null, source: string | null, lookupUrl: string | null } | null, proposedLicenseFit: { rule: string | null, source: string | null, lookupUrl: string | null } | null } };

export type DoctorsForReviewQueryVariables = Exact<{
  status?: VerificationStatus | null | undefined;
  proposals?: boolean | null | undefined;
  ending?: boolean | null | undefined;
  first?: number | null | undefined;
  after?: string | null | undefined;
}>;


export type DoctorsForReviewQuery = { doctorsForReview: { edges: Array<{ node: { revision: number, submittedAt: string, isDisabled: boolean, isReasonMailed: boolean, account: { id: string, name: string, email: string, phone: string | null }, profile: { specialization: string, licenseNumber: string, licenseFileUrl: string, diplomaFileUrl: string, certificationUrl: string | null, currentInstitution: string | null, workHistory: string | null, publications: string | null, practiceAddress: string | null, verification: { status: VerificationStatus, decidedAt: string | null, reason: string | null, until: string | null, grounds: Array<RejectionGround> }, proposal: { name: string | null, specialization: string | null, licenseNumber: string | null, submittedAt: string } | null }, newDocuments: { licenseFileUrl: string, diplomaFileUrl: string, certificationUrl: string } | null, licenseFit: { rule: string | null, source: string | null, lookupUrl: string | null } | null, proposedLicenseFit: { rule: string | null, source: string | null, lookupUrl: string | null } | null } }>, pageInfo: { hasNextPage: boolean, endCursor: string | null } } };

export type DecideOnDoctorMutationVariables = Exact<{
  id: string | number;
  revision?: number | null | undefined;
  decision: ReviewDecision;
  reason?: string | null | undefined;
  documents?: Array<DoctorDocument> | DoctorDocument | null | undefined;
  grounds?: Array<RejectionGround> | RejectionGround | null | undefined;
  until?: string | null | undefined;
}>;


export type DecideOnDoctorMutation = { decideOnDoctor: { revision: number } };

export class TypedDocumentString<TResult, TVariables>
  extends String
  implements DocumentTypeDecoration<TResult, TVariables>
{
  __apiType?: NonNullable<DocumentTypeDecoration<TResult, TVariables>['__apiType']>;
  private value: string;
  public __meta__?: Record<string, any> | undefined;

  constructor(value: string, __meta__?: Record<string, any> | undefined) {
    super(value);
    this.value = value;
    this.__meta__ = __meta__;
  }

  override toString(): string & DocumentTypeDecoration<TResult, TVariables> {
    return this.value;
  }
}
export const DoctorForReviewDocument = new TypedDocumentString(` query DoctorForReview($id: ID!) { doctorForReview(id: $id) { ...DoctorInReview others { id name status isDisabled hasSameLicenseNumber hasSameDocument } } } fragment LicenseFitFields on LicenseFit { rule source lookupUrl } fragment Documents on ReviewDocuments { licenseFileUrl diplomaFileUrl certificationUrl } fragment DoctorInReview on ReviewedDoctor { account { id name email phone } profile { specialization licenseNumber licenseFileUrl diplomaFileUrl certificationUrl currentInstitution workHistory publications practiceAddress verification { status decidedAt reason until grounds } proposal { name specialization licenseNumber submittedAt } } revision submittedAt newDocuments { ...Documents } isDisabled isReasonMailed licenseFit { ...LicenseFitFields } proposedLicenseFit { ...LicenseFitFields } }`) as unknown as TypedDocumentString<DoctorForReviewQuery, DoctorForReviewQueryVariables>;
export const DoctorsForReviewDocument = new TypedDocumentString(` query DoctorsForReview($status: VerificationStatus, $proposals: Boolean, $ending: Boolean, $first: Int, $after: String) { doctorsForReview( status: $status proposals: $proposals ending: $ending first: $first after: $after ) { edges { node { ...DoctorInReview } } pageInfo { hasNextPage endCursor } } } fragment LicenseFitFields on LicenseFit { rule source lookupUrl } fragment Documents on ReviewDocuments { licenseFileUrl diplomaFileUrl certificationUrl } fragment DoctorInReview on ReviewedDoctor { account { id name email phone } profile { specialization licenseNumber licenseFileUrl diplomaFileUrl certificationUrl currentInstitution workHistory publications practiceAddress verification { status decidedAt reason until grounds } proposal { name specialization licenseNumber submittedAt } } revision submittedAt newDocuments { ...Documents } isDisabled isReasonMailed licenseFit { ...LicenseFitFields } proposedLicenseFit { ...LicenseFitFields } }`) as unknown as TypedDocumentString<DoctorsForReviewQuery, DoctorsForReviewQueryVariables>;
export const DecideOnDoctorDocument = new TypedDocumentString(` mutation DecideOnDoctor($id: ID!, $revision: Int, $decision: ReviewDecision!, $reason: String, $documents: [DoctorDocument!], $grounds: [RejectionGround!], $until: Date) { decideOnDoctor( id: $id revision: $revision decision: $decision reason: $reason documents: $documents grounds: $grounds until: $until ) { revision } } `) as unknown as TypedDocumentString<DecideOnDoctorMutation, DecideOnDoctorMutationVariables>;