# NixOS: the units of the package, their settings, and the user that they run as.
{ config, lib, ... }:

let
  cfg = config.services.watchword;
  inherit (lib) mkIf mkOption types;

  standardFolder = "/var/lib/watchword";
  isElsewhere = cfg.dataDir != standardFolder;

  settings = {
    WATCHWORD_DATA = cfg.dataDir;
    WATCHWORD_HOST = cfg.host;
    WATCHWORD_PORT = cfg.port;
  } // cfg.settings;

  textOf = value: if builtins.isBool value then (if value then "true" else "false") else toString value;
  settingsFile = lib.concatStrings (lib.mapAttrsToList (name: value: "${name}=${textOf value}\n") settings);

  # Every user of the machine reads the store of Nix.
  secrets = builtins.filter (name: builtins.hasAttr name cfg.settings) [
    "WATCHWORD_SECRET"
    "WATCHWORD_DATABASE_URL"
    "WATCHWORD_DATABASE_REPLICA_URL"
    "WATCHWORD_METRICS_TOKEN"
    "WATCHWORD_TRACES_HEADERS"
  ];

  # What is added to each unit of the package.
  added = {
    restartTriggers = [ config.environment.etc."watchword/watchword.env".source ];
    environment = mkIf (cfg.secretFile != null) { WATCHWORD_SECRET_FILE = "%d/secret"; };
    serviceConfig = {
      EnvironmentFile = mkIf (cfg.environmentFile != null) [ cfg.environmentFile ];
      LoadCredential = mkIf (cfg.secretFile != null) [ "secret:${cfg.secretFile}" ];
      ReadWritePaths = mkIf isElsewhere [ cfg.dataDir ];
    };
  };
in
{
  options.services.watchword = {
    enable = lib.mkEnableOption "Watchword, a server for phone verification codes";
    package = mkOption {
      type = types.package;
      description = "The package of Watchword.";
    };
    host = mkOption {
      type = types.str;
      default = "127.0.0.1";
      description = "Address to listen on. A proxy in front ends TLS.";
    };
    port = mkOption {
      type = types.port;
      default = 8787;
      description = "Port to listen on.";
    };
    openFirewall = mkOption {
      type = types.bool;
      default = false;
      description = "Whether the firewall lets others reach the port. It has no TLS.";
    };
    dataDir = mkOption {
      type = types.str;
      default = standardFolder;
      description = "Folder of the database, its backups and the key file.";
    };
    secretFile = mkOption {
      type = types.nullOr types.str;
      default = null;
      example = "/run/secrets/watchword";
      description = "File with the master secret, outside of the store. Without it a key file in the data folder is made.";
    };
    environmentFile = mkOption {
      type = types.nullOr types.str;
      default = null;
      example = "/run/secrets/watchword.env";
      description = "File with more settings, outside of the store: those that hold secrets.";
    };
    settings = mkOption {
      type = types.attrsOf (types.oneOf [ types.str types.int types.bool ]);
      default = { };
      example = { WATCHWORD_PUBLIC_URL = "https://otp.example.com"; };
      description = "Settings by their names; `watchword --help` lists them. No secrets: everybody can read them.";
    };
  };

  config = mkIf cfg.enable {
    assertions = [
      {
        assertion = secrets == [ ];
        message = "services.watchword.settings: every user could read ${toString secrets}; use secretFile or environmentFile.";
      }
    ];

    users.users.watchword = {
      isSystemUser = true;
      group = "watchword";
      home = cfg.dataDir;
    };
    users.groups.watchword = { };

    environment.systemPackages = [ cfg.package ];
    environment.etc."watchword/watchword.env".text = settingsFile;
    networking.firewall.allowedTCPPorts = mkIf cfg.openFirewall [ cfg.port ];

    systemd.packages = [ cfg.package ];
    systemd.tmpfiles.rules = mkIf isElsewhere [ "d ${cfg.dataDir} 0700 watchword watchword -" ];
    systemd.sockets.watchword = {
      wantedBy = [ "sockets.target" ];
      # The empty value removes the address of the unit.
      socketConfig.ListenStream = [ "" "${cfg.host}:${toString cfg.port}" ];
    };
    systemd.services.watchword = added // { wantedBy = [ "multi-user.target" ]; };
    systemd.services.watchword-backup = added;
    systemd.timers.watchword-backup.wantedBy = [ "timers.target" ];
  };
}
