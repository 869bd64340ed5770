/** A mail server on a real socket: it keeps what comes, and answers as it is told. */
import { createServer, type Server, type Socket } from 'node:net'
import { createServer as createSecureServer, TLSSocket } from 'node:tls'

export interface ReceivedMail {
  /** What the client said before the message, in order. */
  commands: string[]
  message: string
  wasSecure: boolean
}

export interface SmtpOptions {
  /** TLS from the first byte; or after STARTTLS, where `upgrades`. */
  tls?: { key: string; cert: string }
  upgrades?: boolean
  /** Answer to the whole message. */
  taken?: string
  /** Answer to the password. */
  entered?: string
}

export class SmtpServer implements AsyncDisposable {
  readonly mails: ReceivedMail[] = []
  readonly #sockets = new Set<Socket>()

  private constructor(
    private readonly server: Server,
    readonly options: SmtpOptions,
  ) {}

  static async start(options: SmtpOptions = {}): Promise<SmtpServer> {
    const { tls, upgrades } = options
    const begin = (socket: Socket) => mail.#serve(socket)
    const mail = new SmtpServer(tls && !upgrades ? createSecureServer(tls, begin) : createServer(begin), options)
    await new Promise<void>((resolve) => mail.server.listen(0, '127.0.0.1', resolve))
    return mail
  }

  get port(): number {
    return (this.server.address() as { port: number }).port
  }

  #serve(socket: Socket): void {
    this.#sockets.add(socket)
    socket.on('error', () => {})
    socket.write('220 hook.example ESMTP\r\n')
    this.#converse(socket, [], socket instanceof TLSSocket)
  }

  #converse(socket: Socket, commands: string[], wasSecure: boolean): void {
    const { tls, upgrades, taken = '250 OK', entered = '235 OK' } = this.options
    let text = ''
    let isMessage = false
    const say = (line: string) => void socket.write(`${line}\r\n`)
    const heard = (chunk: Buffer) => {
      text += chunk.toString()
      if (isMessage) {
        const end = text.indexOf('\r\n.\r\n')
        if (end < 0) return
        this.mails.push({ commands, message: text.slice(0, end), wasSecure })
        text = text.slice(end + 5)
        isMessage = false
        say(taken)
      }
      for (let end = text.indexOf('\r\n'); end >= 0 && !isMessage; end = text.indexOf('\r\n')) {
        const line = text.slice(0, end)
        text = text.slice(end + 2)
        commands.push(line)
        const [verb = ''] = line.toUpperCase().split(' ')
        if (verb === 'EHLO')
          say(`250-hook.example\r\n${tls && upgrades && !wasSecure ? '250-STARTTLS\r\n' : ''}250 AUTH PLAIN`)
        else if (verb === 'AUTH') say(entered)
        else if (verb === 'DATA') {
          isMessage = true
          say('354 Go on')
        } else if (verb === 'STARTTLS' && tls && upgrades) {
          say('220 Go on')
          socket.off('data', heard)
          this.#converse(new TLSSocket(socket, { ...tls, isServer: true }), commands, true)
        } else say(verb === 'QUIT' ? '221 Bye' : verb === 'STARTTLS' ? '502 Unknown' : '250 OK')
      }
    }
    socket.on('data', heard)
    socket.on('error', () => {})
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const socket of this.#sockets) socket.destroy()
    await new Promise((resolve) => this.server.close(resolve))
  }
}
