/** The end of a long id: enough to tell one from another. */
export const ShortId = ({ id }: { id: string }) => <span style={{ whiteSpace: 'nowrap' }}>…{id.slice(-8)}</span>
