/** Accounts of people: made by a link, signed in to by password and second factor. Decisions: "Operators". */
export { changePassword, changeRights, operatorNamed, removeOperator, resetPassword, unlock } from './accounts'
export { invitationId, invite, join, readInvitation, setUpToken, withdrawInvitation } from './links'
export { beginTotp, confirmTotp, removeTotp } from './second-factor'
export {
  endSession,
  endSessions,
  openSession,
  sessionId,
  sessionOf,
  sessionsOf,
  signIn,
  signOut,
  type Visitor,
} from './sessions'
