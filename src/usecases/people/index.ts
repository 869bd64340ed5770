/** Accounts of people: made by a link, signed in to by password and second factor. Decisions: "Operators". */
export { changePassword, changeRole, operatorNamed, removeOperator, resetPassword, unlock } from './accounts'
export { invitationId, invite, join, readInvitation, setUpToken, withdrawInvitation } from './links'
export { beginTotp, confirmTotp, removeTotp } from './second-factor'
export { openSession, sessionOf, signIn, signOut, signOutEverywhere, type Visitor } from './sessions'
