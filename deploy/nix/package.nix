# The released program, and the units of systemd beside it. The units are the ones of the archive, so NixOS has every protection
# that they have.
{
  lib,
  stdenv,
  fetchurl,
  autoPatchelfHook,
  release,
}:

stdenv.mkDerivation {
  pname = "watchword";
  inherit (release) version;

  src = fetchurl release.archives.${stdenv.hostPlatform.system};

  # On NixOS glibc has another path. Only that may change: the program carries its own code at its end.
  nativeBuildInputs = lib.optional stdenv.hostPlatform.isLinux autoPatchelfHook;
  dontStrip = true;

  dontConfigure = true;
  dontBuild = true;

  installPhase = ''
    runHook preInstall
    install -D -m 755 watchword "$out/bin/watchword"
    install -D -m 644 -t "$out/share/doc/watchword" LICENSE third-party-licenses.txt
    if [ -e deploy/watchword.service ]; then
      install -D -m 644 -t "$out/lib/systemd/system" deploy/*.service deploy/*.socket deploy/*.timer
      sed -i "s|/usr/local/bin/watchword|$out/bin/watchword|" "$out"/lib/systemd/system/*.service
    fi
    runHook postInstall
  '';

  meta = {
    description = "Phone verification codes on your own server";
    license = lib.licenses.asl20;
    mainProgram = "watchword";
    platforms = builtins.attrNames release.archives;
    sourceProvenance = [ lib.sourceTypes.binaryNativeCode ];
  };
}
