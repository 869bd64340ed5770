/** What is used here of packages without types. */
declare module 'africastalking' {
  interface Sent {
    SMSMessageData: { Recipients: Array<{ messageId: string }> }
  }
  export default function (account: { username: string; apiKey: string }): {
    SMS: { send(message: { to: string; message: string; from: string }): Promise<Sent> }
  }
}

declare module 'messagebird/lib/webhook-signature-jwt' {
  export function verify(url: string, body: Buffer, token: string, key: Buffer): Promise<boolean>
}
