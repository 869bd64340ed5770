# What the flake and the module of deploy/nix ask of nixpkgs, which is not here: no more than that.
{ folder }:

let
  system = builtins.currentSystem;

  lib = {
    optional = condition: value: if condition then [ value ] else [ ];
    concatStrings = builtins.concatStringsSep "";
    mapAttrsToList = function: set: map (name: function name set.${name}) (builtins.attrNames set);
    mkDefault = value: value;
    mkIf = condition: value: if condition then value else null;
    mkOption = option: option;
    mkEnableOption = _: { default = false; };
    types = {
      attrsOf = _: null;
      bool = null;
      int = null;
      nullOr = _: null;
      oneOf = _: null;
      package = null;
      port = null;
      str = null;
    };
    licenses.asl20 = null;
    sourceTypes.binaryNativeCode = null;
  };

  stdenv = {
    hostPlatform = {
      inherit system;
      isLinux = true;
    };
    mkDerivation =
      given:
      derivation {
        inherit system;
        inherit (given) src;
        name = "${given.pname}-${given.version}";
        builder = "/bin/bash";
        args = [
          "-euc"
          ''
            export PATH=/usr/bin:/bin
            runHook() { :; }
            mkdir source
            cd source
            tar -xzf "$src" --strip-components=1
            ${given.installPhase}
          ''
        ];
      };
  };

  pkgs = {
    inherit stdenv;
    callPackage =
      path: given:
      import path (
        {
          inherit lib stdenv;
          autoPatchelfHook = null;
          fetchurl = { url, hash }: builtins.fetchurl { inherit url; sha256 = hash; };
        }
        // given
      );
  };

  flake = (import (folder + "/flake.nix")).outputs {
    self = flake;
    nixpkgs.legacyPackages.${system} = pkgs;
  };

  # The module with these options, and its defaults.
  configured =
    given:
    let
      module = import (folder + "/module.nix") {
        inherit lib;
        config = {
          services.watchword = builtins.mapAttrs (name: option: given.${name} or option.default or null) module.options.services.watchword;
          environment.etc."watchword/watchword.env".source = "the settings";
        };
      };
      inherit (module.config) assertions environment networking systemd;
    in
    {
      refusals = map ({ message, ... }: message) (builtins.filter ({ assertion, ... }: !assertion) assertions);
      settings = environment.etc."watchword/watchword.env".text;
      ports = networking.firewall.allowedTCPPorts;
      folders = systemd.tmpfiles.rules;
      inherit (systemd) services sockets timers;
    };
in
{
  package = flake.packages.${system}.default;
  enabled = configured { enable = true; };
  changed = configured {
    enable = true;
    host = "0.0.0.0";
    port = 9000;
    openFirewall = true;
    dataDir = "/srv/codes";
    secretFile = "/run/secrets/watchword";
    environmentFile = "/run/secrets/watchword.env";
    settings = {
      WATCHWORD_PUBLIC_URL = "https://otp.example.com";
      WATCHWORD_DATABASE_BATCHING = false;
      WATCHWORD_DATABASE_POOL = 4;
    };
  };
  careless = configured {
    enable = true;
    settings.WATCHWORD_SECRET = "in the store";
  };
}
