# Homebrew's formula. `bun run release` fills in the version, the addresses of the archives and their checksums.
class Watchword < Formula
  desc "Phone verification codes on your own server"
  homepage "https://watchword.invalid"
  version "@VERSION@"
  license "Apache-2.0"

  on_macos do
    on_arm do
      url "@URL aarch64-darwin@"
      sha256 "@SHA256 aarch64-darwin@"
    end
    on_intel do
      url "@URL x86_64-darwin@"
      sha256 "@SHA256 x86_64-darwin@"
    end
  end

  on_linux do
    on_arm do
      url "@URL aarch64-linux@"
      sha256 "@SHA256 aarch64-linux@"
    end
    on_intel do
      url "@URL x86_64-linux@"
      sha256 "@SHA256 x86_64-linux@"
    end
  end

  def install
    bin.install "watchword"
    doc.install "third-party-licenses.txt"
  end

  # `brew services start watchword`: for the person who works on this machine. A server has deploy/watchword.service.
  service do
    run [opt_bin/"watchword", "serve"]
    environment_variables WATCHWORD_DATA: var/"watchword"
    keep_alive true
    log_path var/"log/watchword.log"
    error_log_path var/"log/watchword.log"
  end

  test do
    assert_match version.to_s, shell_output("#{bin}/watchword version")

    port = free_port
    ENV["WATCHWORD_DATA"] = testpath/"data"
    ENV["WATCHWORD_PORT"] = port.to_s
    server = spawn bin/"watchword", "serve"
    system "curl", "--silent", "--fail", "--retry", "30", "--retry-connrefused", "http://127.0.0.1:#{port}/readyz"
  ensure
    Process.kill "TERM", server if server
  end
end
